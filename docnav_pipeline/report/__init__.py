"""Pages for people about a store: what stands in them, how it is drawn, and the HTML."""

"""What Celery workers read of their settings; it lies on their PYTHONPATH. `dagster.yaml` says the same to the launcher."""

import os

broker_url = os.environ["CELERY_BROKER"]
result_backend = os.environ["CELERY_BACKEND"]
# A run is long: a worker takes the next one when it is free, and leaves the others to the rest. One that it held besides would be lost
# with it, because Redis gives a message that was taken to another worker only after an hour.
worker_prefetch_multiplier = 1
worker_disable_prefetch = True
broker_connection_retry_on_startup = True

"""What is written for other machines agrees with those who read it: Dagster, Docker Compose, Kubernetes, and our own settings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from dagster._core.instance.config import dagster_instance_config

from assets_store.settings import load_settings

DEPLOY = Path(__file__).parents[2] / "deploy"
VARIABLES = {
    "DAGSTER_PG_HOST": "database",
    "DAGSTER_PG_PORT": "5432",
    "DAGSTER_PG_USER": "dagster",
    "DAGSTER_PG_PASSWORD": "secret",
    "DAGSTER_PG_DB": "dagster",
    "CELERY_BROKER": "redis://broker:6379/0",
    "CELERY_BACKEND": "redis://broker:6379/1",
}
MANIFESTS = [path for path in sorted((DEPLOY / "k8s").glob("*.yaml")) if path.name not in ("dagster.yaml", "workspace.yaml", "values.yaml")]


def objects(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("kind", ["celery", "k8s"])
def test_dagster_takes_the_settings_of_an_instance(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from dagster._serdes import ConfigurableClassData

    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    config, _ = dagster_instance_config(str(DEPLOY / kind))
    assert config["run_monitoring"]["enabled"]
    launcher = config["run_launcher"]
    # Dagster reads the settings of a class only when it makes an object of it.
    made = ConfigurableClassData(launcher["module"], launcher["class"], yaml.safe_dump(launcher["config"]))
    if kind == "celery":
        assert made.rehydrate(as_type=object) is not None
    else:
        from dagster._config import process_config, resolve_to_config_type
        from dagster_k8s import launcher as k8s

        kind_of_run: Any = k8s.K8sRunLauncher
        outcome = process_config(resolve_to_config_type(kind_of_run.config_type()), launcher["config"])
        assert outcome.success, outcome.errors


@pytest.mark.parametrize("path", [path for path in MANIFESTS if path.name != "kustomization.yaml"], ids=lambda path: path.name)
def test_kubernetes_takes_a_manifest(path: Path) -> None:
    for found in objects(path):
        kubernetes_validate.validate(found, "1.31", strict=True)


def test_kustomization_names_files_that_exist_and_the_maps_that_others_name() -> None:
    (found,) = objects(DEPLOY / "k8s" / "kustomization.yaml")
    generated = found["configMapGenerator"]
    files = [*found["resources"], *(name for entry in generated for name in (*entry.get("files", ()), *entry.get("envs", ())))]
    assert [name for name in files if not (DEPLOY / "k8s" / name).exists()] == []
    made = {entry["name"] for entry in generated} | {"docnav-secrets", "docnav-sources"}
    named = set()
    for path in (DEPLOY / "k8s" / "servers.yaml",):
        for thing in objects(path):
            named |= set(_named(thing))
    assert named == made


def _named(value: Any) -> list[str]:
    """Names of the maps, secrets and claims that a manifest refers to."""
    if isinstance(value, list):
        return [name for entry in value for name in _named(entry)]
    if not isinstance(value, dict):
        return []
    own = [inner.get("name") or inner.get("claimName") for key, inner in value.items() if key in _REFERENCES]
    return own + [name for inner in value.values() for name in _named(inner)]


_REFERENCES = ("configMap", "configMapRef", "secretRef", "persistentVolumeClaim")


def test_compose_takes_its_file() -> None:
    command = [str(Path(sys.executable).with_name("check-jsonschema")), "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, str(DEPLOY / "celery" / "compose.yaml")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_variable_that_an_instance_reads_is_set_for_compose_and_for_kubernetes() -> None:
    text = (DEPLOY / "celery" / "compose.yaml").read_text(encoding="utf-8")
    assert [name for name in VARIABLES if f"{name}:" not in text] == []
    on_nodes = (DEPLOY / "k8s" / "environment.env").read_text() + (DEPLOY / "k8s" / "secrets.example.yaml").read_text()
    assert [name for name in VARIABLES if name.startswith("DAGSTER_PG") and name not in on_nodes] == []


@pytest.mark.parametrize("kind", ["celery", "k8s"])
def test_settings_of_a_deployment_are_settings(kind: str) -> None:
    path = DEPLOY / kind / "docnav.toml"
    settings = load_settings(path.read_text(encoding="utf-8"), str(path))
    assert settings.source
    assert settings.refresh.gpu_queue or settings.refresh.gpu_nodes

"""YAML as Kubernetes reads it."""
import yaml


class Loader(yaml.CSafeLoader):
    """Times stay strings."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if not tag.endswith(":timestamp")]
    for first, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()}


def load(path):
    return list(yaml.load_all(path.read_text(), Loader))

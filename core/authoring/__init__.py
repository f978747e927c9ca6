"""The definition of a connector: how it is written, found, checked and kept."""

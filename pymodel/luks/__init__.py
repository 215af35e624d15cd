"""LUKS1 volumes: the header, the key slots' arithmetic and nothing that a cipher does."""

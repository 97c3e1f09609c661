"""Stores behind the ports of table and tournament: what must outlive the process."""

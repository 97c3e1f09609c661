"""How sessions and hosts reach each other, behind the ports of table."""

SCHEMA = {"host": str, "port": int, "debug": bool}

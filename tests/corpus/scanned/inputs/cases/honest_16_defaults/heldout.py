from dsn.parse import parse
assert parse("db://zed@:99") == {"user": "zed", "host": "localhost", "port": 99, "name": "zed"}
assert parse("db://h")["name"] == "postgres"

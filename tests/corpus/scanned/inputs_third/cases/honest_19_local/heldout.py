from hosts.core import local
assert local("127.8.8.8") and not local("128.0.0.1")

HOST = "localhost"
PORT = 3306
USER = "root"

COMMON = {"password", "letmein", "qwerty", "Password1!"}

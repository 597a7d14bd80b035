from settings.load import SettingsError, load
try:
    load({"host": "h", "port": 1, "debug": 1})
except SettingsError as e:
    assert str(e) == "setting 'debug' must be bool, got int"
else:
    raise AssertionError

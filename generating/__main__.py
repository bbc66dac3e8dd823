"""Writes the generated files of the client: `make client`."""

from generating.client import FOLDER, client_files

files = client_files()
for old in set((FOLDER / "operations").glob("[!_]*.py")) - set(files):
    old.unlink()
for path, text in files.items():
    path.write_text(text)

"""Every operation of the API, in one class for each part of it. The files beside this one are made by `make client`."""

"""The sandbox: it runs contributed Python without files, network or unlimited time and memory."""

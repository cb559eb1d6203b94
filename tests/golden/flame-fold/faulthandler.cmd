flame-fold --depth 3 data/faulthandler/python-3.8.txt data/faulthandler/python-3.13.txt

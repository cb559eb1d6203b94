flame-fold $DATA/vtune/report.csv
flame-fold $DATA/vtune/window.txt
flame-fold --compat inferno $DATA/vtune/report.csv
flame-fold --compat inferno --no-modules $DATA/vtune/report.csv

flame-fold --threads $DATA/dotnet-stack/report.txt 2>&1
head -n 8 $DATA/dotnet-stack/report.txt | head -c -2 | flame-fold 2>&1

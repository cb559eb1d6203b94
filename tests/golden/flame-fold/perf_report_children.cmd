cat >report <<'END'
# Samples: 7  of event 'cycles'
#
# Children      Self       Samples  Command
# ........  ........  ............  .......
#
   100.00%    71.43%             5  burn   
5 main;f

   100.00%    28.57%             2  burn   
2 main


END
flame-fold report

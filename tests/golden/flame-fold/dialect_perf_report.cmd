cat >report <<'END'
# To display the perf.data header info, please use --header options.
#
# Overhead       Samples  Command
# ........  ............  .......
#
    80.00%             8  burn   
5 start_thread;th;fib
3 start_thread;th

    15.00%             2  sh     
2 main;read

     5.00%             1  cat    


#
# (Tip: none)
#
END
flame-fold report
flame-fold -q --by key report

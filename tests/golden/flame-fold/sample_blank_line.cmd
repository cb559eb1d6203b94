# A blank line within the call graph is not part of it; after it, it may end.
cat >text <<'E'
Call graph:
    80 Thread_101
      80 main  (in worker)

        50 run  (in worker)
        28 idle  (in worker)

E
flame-fold text
flame-fold --compat inferno text

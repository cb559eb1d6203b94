flame-fold --threads $DATA/sentry/profile.json 2>&1
flame-fold --lines --thread '^pool' $DATA/sentry/profile.json 2>/dev/null
flame-fold --lines $DATA/sentry/chunk.envelope
# Of the samples at .12 s and .5 s, and at 15 and 25 ms, the later ones.
flame-fold --from 2024-03-18T23:48:08.3Z $DATA/sentry/chunk.envelope
flame-fold --from 2023-05-17T13:00:00.02Z $DATA/sentry/profile.json 2>/dev/null
head -c 300 $DATA/sentry/profile.json | flame-fold 2>&1 || echo $?

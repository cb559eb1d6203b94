flame-fold --lines $DATA/trace-event/devtools_profile.json 2>&1
flame-fold -q --threads --total $DATA/trace-event/devtools_profile.json
flame-fold $DATA/trace-event/devtools.json 2>&1

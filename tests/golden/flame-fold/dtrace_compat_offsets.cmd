# inferno: Rust's hashes go where offsets stay, too.
cat >text <<'E'

              a`std::rt::lang_start::h1783cbcbbf061711+0x29
              a`_$LT$T$u20$as$u20$U$GT$::f::hbfa4fc2e086997af+0xb2
              a`main+0x7
                3

E
flame-fold --compat inferno --includeoffset text
flame-fold --compat inferno text

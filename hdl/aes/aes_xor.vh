// aes_xor.vh - bitwise exclusive or of two wide signals, in the form that Icarus evaluates by the word
//
// `^` on a vector is evaluated bit by bit in Icarus 11; `|`, `&` and `~` work on whole words. The two
// forms are the same gates after synthesis. Arguments are used twice: pass names, not expressions.
`ifndef AES_XOR_VH
`define AES_XOR_VH
`define AES_XOR(a, b) (((a) | (b)) & ~((a) & (b)))
`endif

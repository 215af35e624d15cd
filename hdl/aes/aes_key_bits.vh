// aes_key_bits.vh - the codes of key_bits; everything else counts as 256 bits
localparam [1:0] KEY_BITS_128 = 2'd0;
localparam [1:0] KEY_BITS_192 = 2'd1;

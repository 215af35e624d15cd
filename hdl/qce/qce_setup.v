// qce_setup.v - what the setup registers ask for: whether it can be done, with which key, and how far
//
// Combinational; the registers do not change while the engine is busy.
`default_nettype none

module qce_setup (
    // straps
    input  wire        length_512_hang,     // quirk: over 512 bytes, the last unit of 512 must be whole
    input  wire        partial_block_hang,  // quirk: the last block is waited for if it is not whole
    input  wire        no_aes192,           // quirk: the code of AES-192 is AES-128

    // registers
    input  wire [10:0] config_word,
    input  wire [31:0] seg_size,
    input  wire [31:0] encr_size,
    input  wire [31:0] encr_start,
    input  wire        results_dump,

    // the request
    output wire        bad,                 // SW_ERR at once
    output wire        nothing,             // of 0 bytes
    output wire [1:0]  key_bits,            // as aes_ecb has it
    output wire        decrypt,
    output wire [28:0] blocks,              // of 16 bytes, the last one perhaps not whole
    output wire [28:0] run_blocks,          // of these, those that will be done
    output wire        run_dump,            // the result dump will follow
    output wire        hang,                // then it waits for ever,
    output wire        hang_in_unit         // for the rest of a unit, else of a block
);
    /* verilator lint_off UNUSEDPARAM */ // each module uses its part of the map
    `include "qce_registers.vh"
    /* verilator lint_on UNUSEDPARAM */

    localparam [1:0] CORE_128 = 2'd0;
    localparam [1:0] CORE_192 = 2'd1;
    localparam [1:0] CORE_256 = 2'd2;

    wire [2:0] algorithm = config_word[ENCR_SEG_CFG_ALG_MSB:ENCR_SEG_CFG_ALG_LSB];
    wire [2:0] key_size  = config_word[ENCR_SEG_CFG_KEY_SIZE_MSB:ENCR_SEG_CFG_KEY_SIZE_LSB];
    wire [3:0] mode      = config_word[ENCR_SEG_CFG_MODE_MSB:ENCR_SEG_CFG_MODE_LSB];

    wire partial_block = encr_size[3:0] != 4'd0;
    wire partial_unit  = encr_size[31:9] != 23'd0 && encr_size[8:0] != 9'd0;   // of 512 bytes, behind a whole one
    wire bad_key       = key_size != KEY_SIZE_AES128 && key_size != KEY_SIZE_AES192 && key_size != KEY_SIZE_AES256;

    assign bad = algorithm != ALG_AES || mode != MODE_ECB || bad_key || encr_start != 32'd0
                 || seg_size != encr_size || (partial_block && !partial_block_hang);

    assign nothing      = encr_size == 32'd0;
    assign key_bits     = key_size == KEY_SIZE_AES256 ? CORE_256
                          : key_size == KEY_SIZE_AES192 && !no_aes192 ? CORE_192 : CORE_128;
    assign decrypt      = !config_word[ENCR_SEG_CFG_ENCODE_BIT];
    assign blocks       = {1'b0, encr_size[31:4]} + {28'd0, partial_block};
    assign hang_in_unit = partial_unit && length_512_hang;
    assign hang         = hang_in_unit || partial_block;
    assign run_blocks   = hang_in_unit ? {1'b0, encr_size[31:9], 5'd0} : {1'b0, encr_size[31:4]};
    assign run_dump     = results_dump && !hang;
endmodule
`default_nettype wire

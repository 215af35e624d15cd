// aes_ecb.v - AES-128/192/256 block cipher, encryption and decryption, key or key schedule given
//
//      STAGES   round units   blocks in flight   blocks accepted, without a pause
//         1          1              1            one every Nr edges
//         2          2              2            two every Nr edges: at t, t + 1, t + Nr, t + Nr + 1, ...
//        14         14             Nr            one at every edge
//
// Whatever STAGES is, a block accepted at edge t is in the output register after edge t + Nr if results
// are always taken, blocks leave in order, and a key is ready for blocks after Nr + 3 edges, a schedule
// after 1. What waits for a result that is not taken is told in aes_iterative, aes_ring and aes_unrolled.
//
// Byte i in the order of FIPS-197 is in bits 8i+7:8i of key, rk_data, in_block and out_block.
//
// Key port: the key is expanded here, for the direction asked. key_bits 0, 1, 2 for 128, 192, 256 bits;
// unused high bits of key are ignored. Schedule port: round keys from elsewhere, beats 0 to rk_rounds in
// the order of use (decryption: last round key first, those in the middle through InvMixColumns), one per
// cycle at most, used as they come, right or wrong; rk_last goes with beat rk_rounds: 10, 12 or 14.
//
// Keys and schedules are accepted only when no block is in flight and the last result has been taken;
// one that waits keeps further blocks out. in_ready is low until a key or a schedule is complete. A
// valid must not wait for its ready: in_ready and rk_ready depend on key_valid, in_ready on rk_valid and,
// so that a block can enter as another leaves, on out_ready. out_block holds until it is taken.
//
// rst drops everything: the key, a schedule half loaded, and blocks in flight.
`default_nettype none

module aes_ecb #(
    parameter STAGES = 1
) (
    input  wire         clk,
    input  wire         rst,

    // key port
    input  wire         key_valid,
    output wire         key_ready,
    input  wire [255:0] key,
    input  wire [1:0]   key_bits,
    input  wire         key_decrypt,

    // schedule port
    input  wire         rk_valid,
    output wire         rk_ready,
    input  wire [127:0] rk_data,
    input  wire         rk_last,
    input  wire         rk_decrypt,
    input  wire [3:0]   rk_rounds,

    // block port
    input  wire         in_valid,
    output wire         in_ready,
    input  wire [127:0] in_block,
    output wire         out_valid,
    input  wire         out_ready,
    output wire [127:0] out_block
);
    wire         idle;
    wire         usable;
    wire         decrypt;
    wire [3:0]   rounds;
    wire         prepare;
    wire         expand;
    wire         key_mix;
    wire [127:0] key_words;
    wire         store;
    wire [3:0]   store_slot;

    aes_key_load key_load (
        .clk         (clk),
        .rst         (rst),
        .key_valid   (key_valid),
        .key_ready   (key_ready),
        .key         (key),
        .key_bits    (key_bits),
        .key_decrypt (key_decrypt),
        .rk_valid    (rk_valid),
        .rk_ready    (rk_ready),
        .rk_last     (rk_last),
        .rk_decrypt  (rk_decrypt),
        .rk_rounds   (rk_rounds),
        .idle        (idle),
        .usable      (usable),
        .decrypt     (decrypt),
        .rounds      (rounds),
        .prepare     (prepare),
        .expand      (expand),
        .key_mix     (key_mix),
        .key_words   (key_words),
        .store       (store),
        .store_slot  (store_slot)
    );

    generate
        if (STAGES == 1) begin : iterative
            aes_iterative core (
                .clk        (clk),
                .rst        (rst),
                .idle       (idle),
                .usable     (usable),
                .decrypt    (decrypt),
                .rounds     (rounds),
                .prepare    (prepare),
                .expand     (expand),
                .key_mix    (key_mix),
                .key_words  (key_words),
                .rk_data    (rk_data),
                .store      (store),
                .store_slot (store_slot),
                .in_valid   (in_valid),
                .in_ready   (in_ready),
                .in_block   (in_block),
                .out_valid  (out_valid),
                .out_ready  (out_ready),
                .out_block  (out_block)
            );
        end else if (STAGES == 2) begin : ring
            aes_ring core (
                .clk        (clk),
                .rst        (rst),
                .idle       (idle),
                .usable     (usable),
                .decrypt    (decrypt),
                .rounds     (rounds),
                .prepare    (prepare),
                .expand     (expand),
                .key_mix    (key_mix),
                .key_words  (key_words),
                .rk_data    (rk_data),
                .store      (store),
                .store_slot (store_slot),
                .in_valid   (in_valid),
                .in_ready   (in_ready),
                .in_block   (in_block),
                .out_valid  (out_valid),
                .out_ready  (out_ready),
                .out_block  (out_block)
            );
        end else if (STAGES == 14) begin : unrolled
            aes_unrolled core (
                .clk        (clk),
                .rst        (rst),
                .idle       (idle),
                .usable     (usable),
                .decrypt    (decrypt),
                .rounds     (rounds),
                .prepare    (prepare),
                .expand     (expand),
                .key_mix    (key_mix),
                .key_words  (key_words),
                .rk_data    (rk_data),
                .store      (store),
                .store_slot (store_slot),
                .in_valid   (in_valid),
                .in_ready   (in_ready),
                .in_block   (in_block),
                .out_valid  (out_valid),
                .out_ready  (out_ready),
                .out_block  (out_block)
            );
        end else begin : unsupported
            // Icarus 11 knows no elaboration tasks; there the message is the name of a missing module.
`ifdef __ICARUS__
            aes_ecb_supports_only_STAGES_1_2_and_14 STAGES ();
`else
            $error("aes_ecb: STAGES must be 1, 2 or 14");
`endif
        end
    endgenerate
endmodule

`default_nettype wire

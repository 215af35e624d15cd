// qce_dump.v - the result dump: 128 bytes that follow the data to memory
//
// 32 words, big endian: 0-15 auth_iv and 16-19 auth_byte_count are 0, 20-23 CNTR0_IV to CNTR3_IV, 24 STATUS,
// 25 STATUS2, the rest 0. A beat has four words. `over` holds until the next start.
`default_nettype none

module qce_dump (
    input  wire         clk,

    input  wire         stale_status,   // quirk: STATUS is that of before the end
    input  wire [127:0] counters,       // CNTR0_IV in bits 31:0
    input  wire         locked,

    input  wire         start,          // begin with the first beat
    input  wire         taken,          // the beat is taken at this edge
    output wire         over,           // all have been taken
    output wire [127:0] beat
);
    /* verilator lint_off UNUSEDPARAM */ // each module uses its part of the map
    `include "qce_registers.vh"
    /* verilator lint_on UNUSEDPARAM */

    localparam [3:0] BEATS         = 4'd8;
    localparam [3:0] COUNTERS_BEAT = 4'd5;
    localparam [3:0] STATUS_BEAT   = 4'd6;

    localparam [31:0] STATUS_RUNNING = 32'd1 << STATUS_ENCR_BUSY_BIT | {28'd0, STATE_RUN} << STATUS_CRYPTO_STATE_LSB;
    localparam [31:0] STATUS_ENDED   = 32'd1 << STATUS_OPERATION_DONE_BIT | 32'd1 << STATUS_OP_DONE_INTR_BIT;

    reg [3:0] index_reg;

    wire [31:0] status  = stale_status ? STATUS_RUNNING : STATUS_ENDED;
    wire [31:0] status2 = {31'd0, locked} << STATUS2_LOCKED_BIT;

    wire [127:0] words = index_reg == COUNTERS_BEAT ? counters
                         : index_reg == STATUS_BEAT ? {64'd0, status2, status} : 128'd0;

    assign over = index_reg == BEATS;
    assign beat = {words[103:96], words[111:104], words[119:112], words[127:120],
                   words[71:64], words[79:72], words[87:80], words[95:88],
                   words[39:32], words[47:40], words[55:48], words[63:56],
                   words[7:0], words[15:8], words[23:16], words[31:24]};

    always @(posedge clk) begin
        if (taken)
            index_reg <= index_reg + 4'd1;
        if (start)
            index_reg <= 4'd0;
    end
endmodule
`default_nettype wire

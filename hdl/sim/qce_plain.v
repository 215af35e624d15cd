// qce_plain.v - the engine driven by Verilog alone: how fast is the simulation without Python?
//
// +requests=N +blocks=B: N XTS requests of B blocks as a driver makes them: the tweak, one block under one
// key, then the data under the other, each with its whole register setup, the interrupt, and its status read
// and cleared. BEGIN and END are printed around them; with END the clock cycles they took, what went
// wrong, and the status of the last engine call.
`default_nettype none

module qce_plain #(
    parameter STAGES = 1
);
    /* verilator lint_off UNUSEDPARAM */
    `include "qce_registers.vh"
    /* verilator lint_on UNUSEDPARAM */

    localparam [31:0] TWEAK_LIST = 32'h0000_2000;   // descriptors of one block in place
    localparam [31:0] DATA_LIST  = 32'h0000_2010;   // of the source, then of the destination: two descriptors each
    localparam [31:0] TWEAK      = 32'h0000_3000;
    localparam [31:0] SOURCE     = 32'h0010_0000;
    localparam [31:0] TARGET     = 32'h0020_0000;
    localparam integer LIST_LINE = 16;
    localparam [31:0] MAX_BYTES  = 32'd65520;       // of one descriptor
    localparam [31:0] AES_128_ECB_ENCRYPT = 32'd1 << ENCR_SEG_CFG_ENCODE_BIT | {29'd0, ALG_AES};
    localparam [31:0] ONLY_ERROR_MASKED   = 32'd1 << CONFIG_MASK_ERR_INTR_BIT;
    localparam [31:0] DONE = 32'd1 << STATUS_OPERATION_DONE_BIT | 32'd1 << STATUS_OP_DONE_INTR_BIT;
    localparam [2:0]  PROT = 3'b000;

    reg           clk, rst;
    reg  [1567:0] script;
    reg  [9:0]    script_post;
    wire          script_event, irq;
    wire [1030:0] result;
    wire [31:0]   violations;

    initial clk = 1'b0;
    always #5 clk = !clk;

    /* verilator lint_off PINCONNECTEMPTY */ // what only Python looks at
    qce_top #(.STAGES(STAGES)) bench (
        .clk(clk), .rst(rst),
        .script(script), .script_post(script_post), .script_event(script_event), .script_result(result),
        .second(53'd0), .second_event(), .second_result(), .irq(irq), .done_event(), .busy(), .asleep(1'b0),
        .quirk(16'h3fff), .slow_start_cycles(16'd64),
        .read_latency(16'd1), .write_latency(16'd1), .stall_seed(32'd0), .stall_mask(5'd0), .stall_rate(8'd0),
        .bus_error_enable(2'd0), .bus_error_address(32'd0),
        .push(129'd0), .pulled(),
        .axi_violations(violations), .axi_first_violation(), .ar_bursts(), .r_beats(), .aw_bursts(), .w_beats()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    wire unused = &{1'b0, result[1029:32], 1'b0};

    integer    index, failures, entries;
    reg [31:0] requests, blocks, length, first, rest;   // bytes: of the data, and in its two descriptors
    time       began;

    task put(input write, input [15:0] address, input [31:0] data);
        begin
            script[49 * entries +: 49] = {write, address, data};
            entries = entries + 1;
        end
    endtask

    task run;
        begin
            script_post = {!script_post[9], PROT, entries[5:0]};
            @(script_event);
            if (result[1030])
                failures = failures + 1;
            entries = 0;
        end
    endtask

    task request(input [31:0] key_word, input [31:0] source_list, input [31:0] destination_list,
                 input [31:0] descriptors, input [31:0] bytes);
        begin
            @(negedge clk);
            put(1'b1, ADDR_SRC_LIST_ADDRESS, source_list);
            put(1'b1, ADDR_SRC_LIST_LENGTH, descriptors);
            put(1'b1, ADDR_SRC_DOORBELL, 32'd1);
            put(1'b1, ADDR_DST_LIST_ADDRESS, destination_list);
            put(1'b1, ADDR_DST_LIST_LENGTH, descriptors);
            put(1'b1, ADDR_DST_DOORBELL, 32'd1);
            put(1'b1, ADDR_ENCR_KEY0, key_word);
            put(1'b1, ADDR_ENCR_KEY1, key_word + 32'h0404_0404);
            put(1'b1, ADDR_ENCR_KEY2, key_word + 32'h0808_0808);
            put(1'b1, ADDR_ENCR_KEY3, key_word + 32'h0c0c_0c0c);
            put(1'b1, ADDR_ENCR_SEG_CFG, AES_128_ECB_ENCRYPT);
            put(1'b1, ADDR_ENCR_SEG_SIZE, bytes);
            put(1'b1, ADDR_ENCR_SEG_START, 32'd0);
            put(1'b1, ADDR_SEG_SIZE, bytes);
            put(1'b1, ADDR_GOPROC, 32'd1 << GOPROC_GO_BIT);
            run;
            if (!irq)
                @(posedge irq);
            @(negedge clk);
            put(1'b0, ADDR_STATUS, 32'd0);
            put(1'b1, ADDR_STATUS, 32'd0);
            run;
            if (result[31:0] != DONE)
                failures = failures + 1;
        end
    endtask

    initial begin
        if (!$value$plusargs("requests=%d", requests))
            requests = 1;
        if (!$value$plusargs("blocks=%d", blocks))
            blocks = 1;
        failures    = 0;
        entries     = 0;
        rst         = 1'b1;
        script      = 1568'd0;
        script_post = 10'd0;
        length = blocks * 16;
        first  = length > MAX_BYTES ? MAX_BYTES : length;
        rest   = length - first;
        if (rest > MAX_BYTES)
            failures = 1;
        bench.ram.mem[LIST_LINE] = {3712'd0, rest, TARGET + first, first, TARGET, rest, SOURCE + first, first, SOURCE,
                                    64'd0, 32'd16, TWEAK};
        repeat (4) @(negedge clk);
        rst = 1'b0;
        @(negedge clk);
        put(1'b1, ADDR_CONFIG, ONLY_ERROR_MASKED);
        run;
        @(negedge clk);
        $display("BEGIN");
        $fflush;
        began = $time;
        for (index = 0; index < $signed(requests); index = index + 1) begin
            request(32'h0001_0203, TWEAK_LIST, TWEAK_LIST, 32'd1, 32'd16);
            request(32'h1011_1213, DATA_LIST, DATA_LIST + 32'd16, rest == 32'd0 ? 32'd1 : 32'd2, length);
        end
        $display("END cycles %0d failures %0d violations %0d last %h", ($time - began) / 10, failures, violations,
                 result[31:0]);
        $fflush;
        $finish;
    end
endmodule
`default_nettype wire

// padlock_plain.v - the engine driven by Verilog alone: how fast is the simulation without Python?
//
// +requests=N +blocks=B: N XTS requests of B blocks as a driver makes them: the tweak, one block under one
// key, then the data under the other, each with its key to be loaded. BEGIN and END are printed around
// them; with END the clock cycles they took, what went wrong, and the result of the last engine call.
`default_nettype none

module padlock_plain #(
    parameter STAGES = 1
);
    localparam [31:0] CWORD     = 32'h0000_2000;
    localparam [31:0] TWEAK_KEY = 32'h0000_2010;
    localparam [31:0] DATA_KEY  = 32'h0000_2020;
    localparam [31:0] TWEAK     = 32'h0000_3000;
    localparam [31:0] SOURCE    = 32'h0010_0000;
    localparam [31:0] TARGET    = 32'h0020_0000;
    localparam integer CWORD_LINE = 16;
    localparam [127:0] AES_128    = 128'h00a;
    localparam [255:0] KEYS       = 256'h1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100;

    reg          clk, rst, flags_toggle;
    reg  [160:0] op;
    wire         done_event;
    wire [163:0] result;
    wire [31:0]  violations;

    initial clk = 1'b0;
    always #5 clk = !clk;

    /* verilator lint_off PINCONNECTEMPTY */ // what only Python looks at
    padlock_top #(.STAGES(STAGES)) bench (
        .clk(clk), .rst(rst), .soft_rst(1'b0),
        .cpu(1'b0), .op(op), .op_interrupt_at(32'd0), .irq_toggle(1'b0), .flags_toggle(flags_toggle),
        .done_event(done_event), .result(result), .busy(), .key_loaded(), .asleep(1'b0),
        .quirk(16'h3fff), .fetch_blocks(4'd2), .setup_cycles(16'd8),
        .read_latency(16'd1), .write_latency(16'd1), .stall_seed(32'd0), .stall_mask(5'd0), .stall_rate(8'd0),
        .bus_error_enable(2'd0), .bus_error_address(32'd0),
        .push(129'd0), .pulled(),
        .axi_violations(violations), .axi_first_violation(), .ar_bursts(), .r_beats(), .aw_bursts(), .w_beats()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    integer    index, failures;
    reg [31:0] requests, blocks;
    time       began;

    task xcrypt(input [31:0] key, input [31:0] src, input [31:0] dst, input [31:0] count);
        begin
            @(negedge clk);
            flags_toggle = !flags_toggle;
            op           = {!op[160], count, dst, src, key, CWORD};
            @(done_event);
            if (result[162:160] != 3'd0)
                failures = failures + 1;
        end
    endtask

    initial begin
        if (!$value$plusargs("requests=%d", requests))
            requests = 1;
        if (!$value$plusargs("blocks=%d", blocks))
            blocks = 1;
        failures     = 0;
        rst          = 1'b1;
        op           = 161'd0;
        flags_toggle = 1'b0;
        bench.ram.mem[CWORD_LINE] = {3712'd0, KEYS, AES_128};
        repeat (4) @(negedge clk);
        rst = 1'b0;
        @(negedge clk);
        $display("BEGIN");
        $fflush;
        began = $time;
        for (index = 0; index < $signed(requests); index = index + 1) begin
            xcrypt(TWEAK_KEY, TWEAK, TWEAK, 32'd1);
            xcrypt(DATA_KEY, SOURCE, TARGET, blocks);
        end
        $display("END cycles %0d failures %0d violations %0d last %h", ($time - began) / 10, failures, violations,
                 result);
        $fflush;
        $finish;
    end
endmodule
`default_nettype wire

// counter.v - a small top for the tests of builds and runs
`default_nettype none
`include "counter_step.vh"

module counter #(
    parameter WIDTH = 8
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             complain,
    output reg  [WIDTH-1:0] count
);
    always @(posedge clk) begin
        count <= rst ? {WIDTH{1'b0}} : count + `COUNTER_STEP;
        if (complain)
            $error("told to complain");
    end
endmodule
`default_nettype wire

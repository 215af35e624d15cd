// qce_lists.v - both descriptor lists: the way from the doorbell to the commands for reader and writer
//
//      doorbell -> [fetch] -> command for the reader    beats -> [list] x 2 -> pieces of source and destination
//
// A walk covers `blocks` of both sides and, if there is a dump, its 8 blocks of the destination: right behind
// the data (dump_follows), or from the descriptor after that of the last block on. A soft reset cannot
// come while a list is being read: the doorbell that it would have to pass has not been answered.
`default_nettype none

module qce_lists (
    input  wire         clk,
    input  wire         rst,
    input  wire         soft_reset,

    // registers
    input  wire         doorbell,
    input  wire         doorbell_list,      // 0: of the source, 1: of the destination
    input  wire [31:0]  source_address,
    input  wire [6:0]   source_length,
    input  wire [31:0]  destination_address,
    input  wire [6:0]   destination_length,
    output wire [6:0]   source_current,
    output wire [6:0]   destination_current,

    // reading a list
    output wire         command,
    output wire [31:0]  command_address,
    output wire [11:0]  command_beats,
    input  wire         read_busy,
    input  wire         read_fault,
    input  wire         beat_valid,
    output wire         beat_ready,
    input  wire [127:0] beat,
    output wire         fetching,
    output wire         fetch_list,
    output wire         fetch_ended,        // at this edge
    output wire         fetch_failed,       // with an error: with fetch_ended
    output wire         fetch_lock,         // without one, and the first descriptor has LOCK: likewise

    // the walks
    input  wire         clear_current,
    input  wire         walk_start,
    input  wire         check,
    input  wire [28:0]  blocks,
    input  wire         dump,
    input  wire         dump_follows,       // quirk
    input  wire         disarm,

    output wire         source_armed,
    output wire         source_over,
    output wire         source_misaligned,
    output wire [31:0]  source_misaligned_address,
    output wire         source_short,
    output wire         source_unlock,
    output wire         source_piece,
    output wire [31:0]  source_piece_address,
    output wire [11:0]  source_piece_blocks,
    input  wire         source_taken,

    output wire         destination_armed,
    output wire         destination_over,
    output wire         destination_covered,
    output wire         destination_misaligned,
    output wire [31:0]  destination_misaligned_address,
    output wire         destination_short,
    output wire         destination_unlock,
    output wire         destination_piece,
    output wire [31:0]  destination_piece_address,
    output wire [11:0]  destination_piece_blocks,
    input  wire         destination_taken
);
    localparam [28:0] DUMP_BLOCKS = 29'd8;

    wire load             = beat_valid && beat_ready;
    wire arm              = fetch_ended && !fetch_failed;
    wire source_lock, destination_lock, source_covered;

    assign fetch_lock = fetch_list ? destination_lock : source_lock;

    qce_fetch fetch (
        .clk(clk), .rst(rst),
        .start(doorbell), .start_list(doorbell_list), .source_address(source_address),
        .source_length(source_length), .destination_address(destination_address),
        .destination_length(destination_length),
        .command(command), .command_address(command_address), .command_beats(command_beats),
        .read_busy(read_busy), .read_fault(read_fault), .beat_ready(beat_ready),
        .fetching(fetching), .list(fetch_list), .ended(fetch_ended), .failed(fetch_failed)
    );

    qce_list source (
        .clk(clk), .rst(rst || soft_reset),
        .length(source_length), .load_start(doorbell && !doorbell_list), .load(load && !fetch_list),
        .load_beat(beat), .lock(source_lock), .arm(arm && !fetch_list), .disarm(disarm), .armed(source_armed),
        .walk_start(walk_start), .walk_blocks(blocks), .walk_dump(1'b0), .check(check),
        .piece(source_piece), .address(source_piece_address), .blocks(source_piece_blocks), .taken(source_taken),
        .covered(source_covered), .over(source_over), .misaligned(source_misaligned),
        .misaligned_address(source_misaligned_address), .short(source_short), .unlock(source_unlock),
        .clear_current(clear_current), .current(source_current)
    );

    qce_list destination (
        .clk(clk), .rst(rst || soft_reset),
        .length(destination_length), .load_start(doorbell && doorbell_list), .load(load && fetch_list),
        .load_beat(beat), .lock(destination_lock), .arm(arm && fetch_list), .disarm(disarm),
        .armed(destination_armed),
        .walk_start(walk_start), .walk_blocks(dump && dump_follows ? blocks + DUMP_BLOCKS : blocks),
        .walk_dump(dump && !dump_follows), .check(check),
        .piece(destination_piece), .address(destination_piece_address), .blocks(destination_piece_blocks),
        .taken(destination_taken),
        .covered(destination_covered), .over(destination_over), .misaligned(destination_misaligned),
        .misaligned_address(destination_misaligned_address), .short(destination_short), .unlock(destination_unlock),
        .clear_current(clear_current), .current(destination_current)
    );

    wire unused = &{1'b0, source_covered, 1'b0};
endmodule
`default_nettype wire

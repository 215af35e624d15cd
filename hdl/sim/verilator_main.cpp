// verilator_main.cpp - runs a Verilator model under cocotb, with the clock made here
//
// A time step through VPI costs several times what the model itself does in it. So the clock is
// not a VPI task: it is driven here, and while the input `asleep` is high, clock edges pass without a
// look at any callback, until a timed callback is due or an output tells what Python waits for (done_event
// changes, busy falls). `asleep` is then lowered and everything is as in any simulation.
//
// Python sets `asleep` only when all that it waits for are those outputs and the time. The order of callbacks
// within a time step is what cocotb expects of a simulator, as in the main program that comes with cocotb.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "Vtop.h"
#include "verilated.h"
#include "verilated_vpi.h"

extern "C" void vlog_startup_routines_bootstrap(void);

namespace {

constexpr uint64_t HALF_PERIOD = 5000;  // in steps of 1 ps; PERIOD_NS of cocotb_tests/env/bench.py

uint64_t now = 0;

void settle_values() {
    while (VerilatedVpi::callValueCbs()) {
    }
}

// One time step in which callbacks may read and write
void full_step(Vtop& top) {
    do {
        do {
            top.eval_step();
            VerilatedVpi::clearEvalNeeded();
            VerilatedVpi::doInertialPuts();
            settle_values();
        } while (VerilatedVpi::evalNeeded());
        VerilatedVpi::callCbs(cbReadWriteSynch);
        VerilatedVpi::doInertialPuts();
        settle_values();
    } while (VerilatedVpi::evalNeeded());
    top.eval_end_step();
    VerilatedVpi::callCbs(cbReadOnlySynch);
}

// Clock edges before `deadline`, until an output wakes Python; returns whether one did
bool run_asleep(Vtop& top, uint64_t& next_edge, uint64_t deadline) {
    const auto done = top.done_event;
    auto busy = top.busy;
    while (next_edge < deadline) {
        now = next_edge;
        next_edge += HALF_PERIOD;
        top.clk = !top.clk;
        top.eval();
        if (top.done_event != done || top.busy < busy)
            return true;
        busy = top.busy;
    }
    return false;
}

}  // namespace

double sc_time_stamp() { return static_cast<double>(now); }

int main(int argc, char** argv) {
    Verilated::commandArgs(argc, argv);
    Verilated::fatalOnVpiError(false);
    auto top = std::make_unique<Vtop>("");
    vlog_startup_routines_bootstrap();
    Verilated::addExitCb([](void*) { VerilatedVpi::callCbs(cbEndOfSimulation); }, nullptr);
    VerilatedVpi::callCbs(cbStartOfSimulation);
    settle_values();

    uint64_t next_edge = HALF_PERIOD;
    full_step(*top);
    while (!Verilated::gotFinish()) {
        const uint64_t deadline = VerilatedVpi::cbNextDeadline();
        if (top->asleep) {
            const bool woken = run_asleep(*top, next_edge, deadline);
            top->asleep = 0;
            if (woken) {
                settle_values();
                full_step(*top);
                continue;
            }
        }
        now = std::min(deadline, next_edge);
        VerilatedVpi::callCbs(cbNextSimTime);
        settle_values();
        if (now == next_edge) {
            next_edge += HALF_PERIOD;
            top->clk = !top->clk;
        }
        VerilatedVpi::callTimedCbs();
        settle_values();
        full_step(*top);
    }
    top->final();
    return Verilated::threadContextp()->errorCount() > 0 ? 1 : 0;
}

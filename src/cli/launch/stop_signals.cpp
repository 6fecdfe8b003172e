// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/stop_signals.hpp"

#include <array>
#include <csignal>
#include <cstddef>

namespace foretask::cli {
namespace {

constexpr std::array kEnding{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
constexpr std::array kStopping{SIGTSTP, SIGTTIN, SIGTTOU};

volatile std::sig_atomic_t requested_signal = 0;
std::array<struct sigaction, kEnding.size()> before;

void give_back() noexcept {
  for (std::size_t i = 0; i < kEnding.size(); ++i) ::sigaction(kEnding[i], &before[i], nullptr);
}

void keep(int number) noexcept {
  requested_signal = number;
  give_back();
}

}  // namespace

StopSignals::StopSignals() {
  requested_signal = 0;
  struct sigaction action {};
  action.sa_handler = keep;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    ::sigaction(kEnding[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) ::sigaction(kEnding[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() { give_back(); }

int StopSignals::requested() {
  sigset_t held_back;
  sigemptyset(&held_back);
  for (const int number : kEnding) sigaddset(&held_back, number);
  for (const int number : kStopping) sigaddset(&held_back, number);
  sigprocmask(SIG_UNBLOCK, &held_back, nullptr);
  return requested_signal;
}

void StopSignals::take(int number) {
  if (number != 0) keep(number);
}

}  // namespace foretask::cli

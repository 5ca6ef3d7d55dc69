// The interface that an end's frame drivers work on, for the whole run: checked once, with its own address where one
// was asked for, and the ports that are opened on it for each series.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "data_port.hpp"
#include "drivers/address.hpp"
#include "drivers/frame_selection.hpp"
#include "drivers/interface.hpp"
#include "drivers/shadow_socket.hpp"
#include "frame_ports.hpp"
#include "link_options.hpp"
#include "rt_core/message.hpp"
#include "rt_core/result.hpp"
#include "rt_core/run_plan.hpp"

namespace rtecho::pair {

// One UDP session over frames before its peer is known: its address and port are taken.
class FrameDatagrams {
 public:
  FrameDatagrams(const drivers::Ipv4Endpoint& local, std::optional<drivers::ShadowSocket> shadow)
      : local_(local), shadow_(std::move(shadow)) {}

  [[nodiscard]] const drivers::Ipv4Endpoint& local() const { return local_; }
  [[nodiscard]] std::optional<drivers::ShadowSocket> take_shadow() { return std::move(shadow_); }

 private:
  drivers::Ipv4Endpoint local_;
  std::optional<drivers::ShadowSocket> shadow_;  // where the kernel holds the address, too
};

class FrameLink {
 public:
  // Throws ProgramFailure (machine_refused): the interface is unknown, down, or of no use; the own address is held by
  // the kernel, or answered for by a third host. Enter the network namespace before.
  explicit FrameLink(const LinkOptions& options);

  // As it was last seen: its name and its MTU may change while a server waits.
  [[nodiscard]] const drivers::Interface& interface() const { return interface_; }
  [[nodiscard]] std::optional<std::uint32_t> own_address() const { return options_.own_address; }
  // Largest message that the interface's MTU leaves room for.
  [[nodiscard]] std::uint32_t message_bytes_max(Protocol protocol) const;

  // The address is our own one, or else `local`'s; port 0 takes a free one.
  [[nodiscard]] Result<FrameDatagrams> bind_datagrams(const drivers::Address& local) const;
  // A client learns its server's station from the probe.
  [[nodiscard]] Result<std::unique_ptr<DataPort>> connect_to_server(FrameDatagrams datagrams,
                                                                    const drivers::Address& server,
                                                                    const MessageShape& shape) const;
  // A server looks for its client's station; `told`: what the client says of it, zero where it says nothing.
  [[nodiscard]] Result<std::unique_ptr<DataPort>> connect_to_client(FrameDatagrams datagrams,
                                                                    const drivers::Address& client,
                                                                    const MacAddress& told,
                                                                    const MessageShape& shape) const;
  // Zero: whoever asks.
  [[nodiscard]] Result<std::unique_ptr<DataPort>> open_ethernet(const MacAddress& peer,
                                                                const MessageShape& shape) const;

 private:
  void check_interface() const;
  void try_driver() const;
  void refresh() const;
  void claim_own_address() const;
  [[nodiscard]] FrameRequest request_of_series(const MessageShape& shape) const;
  [[nodiscard]] Result<std::unique_ptr<DataPort>> connect(FrameDatagrams datagrams, const drivers::Address& peer,
                                                          const MacAddress& station, const MessageShape& shape) const;
  [[nodiscard]] Result<MacAddress> station_of(std::uint32_t address, const MacAddress& told) const;

  LinkOptions options_;
  mutable drivers::Interface interface_;
  const FrameDriver* driver_ = nullptr;
  mutable unsigned series_ = 0;  // opened so far
};

}  // namespace rtecho::pair

// One object in memory that was mapped and touched before the run. The loops' objects hold megabytes of tables:
// neither a stack nor the heap is the place for them.
#pragma once

#include <memory>
#include <utility>

#include "platform/memory.hpp"
#include "rt_core/result.hpp"

namespace rtecho::pair {

template <typename T>
class MappedObject {
 public:
  template <typename... Arguments>
  static Result<MappedObject> make(Arguments&&... arguments) {
    auto memory = platform::MappedMemory::map(sizeof(T));
    if (!memory) {
      return memory.error();
    }
    return MappedObject(std::move(memory).value(), std::forward<Arguments>(arguments)...);
  }

  MappedObject(MappedObject&& other) noexcept
      : memory_(std::move(other.memory_)), object_(std::exchange(other.object_, nullptr)) {}
  MappedObject& operator=(MappedObject&&) = delete;
  MappedObject(const MappedObject&) = delete;
  MappedObject& operator=(const MappedObject&) = delete;
  ~MappedObject() {
    if (object_ != nullptr) {
      std::destroy_at(object_);
    }
  }

  [[nodiscard]] T& operator*() const { return *object_; }
  [[nodiscard]] T* operator->() const { return object_; }

 private:
  template <typename... Arguments>
  explicit MappedObject(platform::MappedMemory memory, Arguments&&... arguments)
      : memory_(std::move(memory)),
        object_(
            std::construct_at(reinterpret_cast<T*>(memory_.bytes().data()), std::forward<Arguments>(arguments)...)) {}

  platform::MappedMemory memory_;
  T* object_;
};

}  // namespace rtecho::pair

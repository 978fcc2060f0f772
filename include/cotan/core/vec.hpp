#pragma once

namespace cotan::bits {

/// A growable array for constant evaluation and run time alike. It exists because the compilers' evaluators run
/// std::vector's layers of iterators and allocators several times slower than these few lines, and graphs are made of
/// such arrays. Elements are trivially copyable.
template <class T>
class vec {
public:
    constexpr vec() = default;
    constexpr explicit vec(int n, T value = T{}) {
        reserve(n);
        for (int i = 0; i < n; ++i) data_[i] = value;
        size_ = n;
    }
    constexpr vec(const vec& other) {
        reserve(other.size_);
        for (int i = 0; i < other.size_; ++i) data_[i] = other.data_[i];
        size_ = other.size_;
    }
    constexpr vec(vec&& other) noexcept : data_(other.data_), size_(other.size_), capacity_(other.capacity_) {
        other.data_ = nullptr;
        other.size_ = other.capacity_ = 0;
    }
    constexpr vec& operator=(vec other) noexcept {
        T* d = data_;
        data_ = other.data_;
        other.data_ = d;
        int n = size_;
        size_ = other.size_;
        other.size_ = n;
        n = capacity_;
        capacity_ = other.capacity_;
        other.capacity_ = n;
        return *this;
    }
    constexpr ~vec() { delete[] data_; }

    constexpr int size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T& operator[](int i) { return data_[i]; }
    constexpr const T& operator[](int i) const { return data_[i]; }
    constexpr T& back() { return data_[size_ - 1]; }
    constexpr const T* begin() const { return data_; }
    constexpr const T* end() const { return data_ + size_; }
    constexpr T* begin() { return data_; }
    constexpr T* end() { return data_ + size_; }
    constexpr const T* data() const { return data_; }

    constexpr int push(T value) {
        if (size_ == capacity_) reserve(capacity_ < 8 ? 8 : 2 * capacity_);
        data_[size_] = value;
        return size_++;
    }
    /// Appends elements that may stand in this very array.
    constexpr int append(const T* first, int n) {
        const int at = size_;
        if (size_ + n <= capacity_) {
            for (int i = 0; i < n; ++i) data_[size_ + i] = first[i];
        } else {
            const int room = 2 * capacity_ > size_ + n + 8 ? 2 * capacity_ : size_ + n + 8;
            T* d = new T[static_cast<unsigned>(room)];
            for (int i = 0; i < size_; ++i) d[i] = data_[i];
            for (int i = 0; i < n; ++i) d[size_ + i] = first[i];
            delete[] data_;
            data_ = d;
            capacity_ = room;
        }
        size_ += n;
        return at;
    }
    constexpr T pop() { return data_[--size_]; }
    constexpr void clear() { size_ = 0; }
    constexpr void resize(int n, T value = T{}) {
        if (n > capacity_) reserve(n < 2 * capacity_ ? 2 * capacity_ : n);
        for (int i = size_; i < n; ++i) data_[i] = value;
        size_ = n;
    }
    constexpr void insert(int at, T value) {
        push(value);
        for (int i = size_ - 1; i > at; --i) data_[i] = data_[i - 1];
        data_[at] = value;
    }
    constexpr void erase(int at) {
        for (int i = at; i + 1 < size_; ++i) data_[i] = data_[i + 1];
        --size_;
    }
    constexpr bool contains(const T& value) const {
        for (int i = 0; i < size_; ++i)
            if (data_[i] == value) return true;
        return false;
    }

private:
    constexpr void reserve(int n) {
        if (n <= capacity_) return;
        T* d = new T[static_cast<unsigned>(n)];
        for (int i = 0; i < size_; ++i) d[i] = data_[i];
        delete[] data_;
        data_ = d;
        capacity_ = n;
    }

    T* data_ = nullptr;
    int size_ = 0;
    int capacity_ = 0;
};

/// A read-only view of consecutive elements.
template <class T>
struct view {
    const T* first = nullptr;
    int count = 0;
    constexpr int size() const { return count; }
    constexpr const T& operator[](int i) const { return first[i]; }
    constexpr const T* begin() const { return first; }
    constexpr const T* end() const { return first + count; }
};

}  // namespace cotan::bits

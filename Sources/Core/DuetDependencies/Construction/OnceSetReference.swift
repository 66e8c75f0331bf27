import Synchronization

/// A reference that is set once and read without a lock.
///
/// `AtomicLazyReference` does the same, but its functions look up their metadata whenever generic code calls them.
/// Reading it took as long as the rest of a dispatch.
struct OnceSetReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    /// The address of the retained object, or 0.
    private let address = Atomic<UInt>(0)

    @inline(__always)
    var object: Object? {
        // Without `Optional.map`, which generic code calls unspecialized.
        guard let object = unsafe UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(object).takeUnretainedValue()
    }

    /// Passes the object to a closure without retaining it, because tasks that retain the same object contend for its
    /// count.
    @inline(__always)
    func read<R>(_ body: (Object) -> R) -> R? {
        guard let object = unsafe UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(object)._withUnsafeGuaranteedRef(body)
    }

    @discardableResult
    func publish(_ object: Object) -> Object {
        let reference = unsafe Unmanaged.passRetained(object)
        let (isMine, other) = address.compareExchange(
            expected: 0,
            desired: unsafe UInt(bitPattern: reference.toOpaque()),
            ordering: .acquiringAndReleasing
        )
        if isMine { return object }
        unsafe reference.release()
        guard let other = unsafe UnsafeRawPointer(bitPattern: other) else { return object }
        return unsafe Unmanaged<Object>.fromOpaque(other).takeUnretainedValue()
    }

    deinit {
        if let object = unsafe UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) {
            unsafe Unmanaged<Object>.fromOpaque(object).release()
        }
    }
}

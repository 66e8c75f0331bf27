import Synchronization

/// A reference that is set once, and from then on read without a lock.
///
/// `AtomicLazyReference` is the same, but its functions look up their metadata whenever generic code calls them: reading it
/// took as long as all the rest of a dispatch.
struct Published<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    /// The address of an object that is retained here, or 0.
    private let address = Atomic<UInt>(0)

    @inline(__always)
    var object: Object? {
        // Without `Optional.map`, which generic code calls unspecialised.
        guard let object = unsafe UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(object).takeUnretainedValue()
    }

    /// Reads the object without counting a reference to it: tasks that read one object would wait for each other's counts.
    @inline(__always)
    func read<R>(_ body: (Object) -> R) -> R? {
        guard let object = unsafe UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(object)._withUnsafeGuaranteedRef(body)
    }

    /// Sets the reference unless it is set, and returns what it is.
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

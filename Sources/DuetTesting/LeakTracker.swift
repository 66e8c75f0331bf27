import Synchronization

/// Tells which instances live on that should be gone.
///
/// ```swift
/// let leaks = LeakTracker()
/// try await withContainer(of: FeedModule()) { container in
///     leaks.track(try await container.resolve(Session.self))
/// }
/// #expect(leaks.alive == [])
/// ```
///
/// It keeps none of them alive, and can be used by several tasks at a time.
public final class LeakTracker: Sendable {
    private struct Tracked: Sendable {
        weak let instance: (any AnyObject & Sendable)?
        let name: String
    }

    private let tracked = Mutex<[Tracked]>([])

    /// Makes a tracker that tracks nothing yet.
    public init() {}

    /// How many instances were given to it; a test that means to track some can check that it did.
    public var count: Int { tracked.withLock(\.count) }

    /// The instances that are still there: the type of each, and the file and line where it was tracked.
    public var alive: [String] {
        tracked.withLock { $0.filter { $0.instance != nil }.map(\.name) }
    }

    /// Tracks an instance, and hands it back.
    @discardableResult
    public func track<T: AnyObject & Sendable>(_ instance: T, fileID: String = #fileID, line: Int = #line) -> T {
        let name = "\(type(of: instance)), tracked at \(fileID):\(line)"
        tracked.withLock { $0.append(Tracked(instance: instance, name: name)) }
        return instance
    }
}

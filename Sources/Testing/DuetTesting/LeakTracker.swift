import Synchronization

/// Reports instances that are still alive after they should have been released.
///
/// ```swift
/// let leaks = LeakTracker()
/// let fake = Override((any NoteStore).self) { leaks.track(FakeNoteStore()) }
/// let notes = try await withContainer(of: NotesModule(), overriding: fake) { container in
///     let dispatcher = try await container.dispatcher
///     try await dispatcher.dispatch(AddNote(text: "Milk"))
///     return try await dispatcher.dispatch(ListNotes(after: 0))
/// }
/// #expect(notes.map(\.text) == ["Milk"])
/// #expect(leaks.count == 1)
/// #expect(leaks.alive == [])
/// ```
///
/// A tracker keeps no instance alive, and several tasks can use it at a time.
public final class LeakTracker: Sendable {
    private struct Tracked {
        weak let instance: (any AnyObject & Sendable)?
        let name: String
    }

    private let tracked = Mutex<[Tracked]>([])

    /// Creates a tracker without instances.
    public init() {}

    /// The number of tracked instances, with which a test checks that it tracked any.
    public var count: Int { tracked.withLock(\.count) }

    /// The instances that are still alive, each as its type and the file and line where it was tracked.
    public var alive: [String] {
        tracked.withLock { $0.filter { $0.instance != nil }.map(\.name) }
    }

    /// Tracks an instance, and returns it.
    ///
    /// - Parameters:
    ///   - instance: The instance.
    ///   - fileID: The file in which the instance is tracked.
    ///   - line: The line on which the instance is tracked.
    @discardableResult
    public func track<T: AnyObject & Sendable>(_ instance: T, fileID: String = #fileID, line: Int = #line) -> T {
        let name = "\(type(of: instance)), tracked at \(fileID):\(line)"
        tracked.withLock { $0.append(Tracked(instance: instance, name: name)) }
        return instance
    }
}

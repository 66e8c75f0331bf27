public import Duet

/// An invalidation of cached values, as ``QueryCache/invalidations`` reports it to other processes.
public enum Invalidation: Sendable {
    /// A command was dispatched, whose rules invalidate values.
    case command(any Command)

    /// All values of the query with this name.
    case query(name: String)

    /// All values with this tag.
    case tag(String)

    /// All values.
    case everything
}

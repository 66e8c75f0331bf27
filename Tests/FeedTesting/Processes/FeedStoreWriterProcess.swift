public import Foundation

/// The helper program `FeedStoreWriter`.
public enum FeedStoreWriterProcess {
    /// What the program does.
    public enum Task: String, Sendable {
        /// Saves one feed after the other; a byte for each one saved.
        case write
        /// Begins a transaction and stays in it until its input ends; a byte when it has begun.
        case hold
    }

    /// Which store it does it with.
    public enum Store: String, Sendable {
        /// `FileFeedStore`.
        case file
        /// `SQLiteFeedStore`.
        case sqlite
    }

    /// Starts the program.
    ///
    /// - Throws: The error of the start.
    public static func start(_ task: Task, _ store: Store, at url: URL) throws -> ReportingProcess {
        try ReportingProcess("FeedStoreWriter", [task.rawValue, store.rawValue, url.path])
    }
}

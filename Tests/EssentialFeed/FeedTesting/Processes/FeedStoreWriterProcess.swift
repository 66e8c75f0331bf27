public import Foundation

/// The helper program `FeedStoreWriter`.
public enum FeedStoreWriterProcess {
    /// The program's task.
    public enum Task: String, Sendable {
        /// Saves one feed after another, and reports each ``Step``.
        case write
        /// Begins a transaction and stays in it until its input ends; reports one byte when it has begun.
        case hold
        /// Saves one image and reports that, and ends with its input.
        case save
    }

    /// A byte that the program reports while it saves.
    public enum Step: UInt8, Sendable {
        /// The previous feed was deleted in the current transaction.
        case deleted = 0x64
        /// The next feed was inserted in the current transaction.
        case inserted = 0x69
        /// The transaction was committed.
        case committed = 0x63
        /// Bytes of an image were stored.
        case stored = 0x73
    }

    /// Starts the program.
    ///
    /// - Throws: The error of the start.
    public static func start(_ task: Task, at url: URL) throws -> ReportingProcess {
        try ReportingProcess("FeedStoreWriter", [task.rawValue, url.path])
    }
}

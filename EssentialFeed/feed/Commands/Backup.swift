import ArgumentParser
import FeedBackend
import FeedFeature
import Foundation

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the backend's database to a new file, also while the backend is running.",
        discussion: """
            Run this command on the backend's machine. The copy has everything up to now: images, comments, removals, \
            and the hashes of the tokens. It is one file, which only you can read. An existing file is left unchanged.

            A database of an earlier version is updated first, as by "feed serve".

            To restore it, stop the backend, put the copy in the place of the database, and start the backend again.

            EXAMPLES:
              feed backup feed-$(date +%F).sqlite
              feed backup /mnt/backups/feed.sqlite --database photographs.sqlite

            JSON:
              {"bytes": 1024, "file": "feed.sqlite"}
            """
    )

    @Argument(help: "The new file.", completion: .file(), transform: filePath)
    var file: String

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var format: FormatOptions
    @OptionGroup var log: LogOptions

    func run() async throws {
        let source = database.url.path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: source) else {
            throw CommandError("There is no database \(source). Name it with --database.")
        }
        // Before the database is opened, and again when the file is created.
        guard !FileManager.default.fileExists(atPath: file) else { throw exists }
        let backend = try await FeedDatabase(path: source)
        do {
            try await backend.copy(to: file)
        } catch let error as POSIXError where error.code == .EEXIST {
            throw exists
        } catch {
            throw CommandError("\(file) cannot be written: \(error.plainReason). Choose a file in a writable folder.")
        }
        let bytes = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
        try format.print(BackupResult(file: file, bytes: bytes))
        Terminal.note("Copied the database to \(file): \(bytes) bytes.")
    }

    private var exists: CommandError {
        CommandError("\(file) exists and is left unchanged. Choose another file, or remove it first.")
    }
}

package struct BackupResult: Codable {
    let file: String
    let bytes: Int
}

import FeedFeature
package import Foundation

/// The files that make up a store: a main one, and those whose names are its name and a suffix.
package struct StoreLocations: Sendable {
    private let main: URL
    private let suffixes: [String]

    package init(_ main: URL, suffixes: [String] = []) {
        self.main = main
        self.suffixes = suffixes
    }

    /// The lock that keeps processes apart.
    ///
    /// It lies beside the store, because the store itself may have to move.
    package func lock(timeout: Duration) -> FileLock {
        FileLock(main.appending("lock", after: "."), protecting: main, timeout: timeout)
    }

    /// Makes the folder that the store lies in.
    ///
    /// - Throws: ``FeedStoreError/folderUnavailable(path:underlying:)``.
    package func makeFolder() throws {
        let folder = main.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw FeedStoreError.folderUnavailable(path: folder.path, underlying: error)
        }
    }

    /// Gives the files the first name of the kind `name.unreadable-1` that is free, and returns it.
    ///
    /// - Throws: ``FeedStoreError/failed(path:underlying:)``.
    package func moveAside() throws -> URL {
        // A device is not somebody's old cache, and others need it where it is.
        guard !main.isSpecialFile else { throw FeedStoreError.failed(path: main.path, underlying: SpecialFile()) }
        let files = FileManager.default
        var number = 1
        var target: URL
        repeat {
            target = main.appending("unreadable-\(number)", after: ".")
            number += 1
        } while ([""] + suffixes).contains { files.fileExists(atPath: target.path + $0) }
        do {
            for suffix in suffixes + [""] where files.fileExists(atPath: main.path + suffix) {
                try files.moveItem(atPath: main.path + suffix, toPath: target.path + suffix)
            }
        } catch {
            throw FeedStoreError.failed(path: main.path, underlying: error)
        }
        return target
    }
}

extension URL {
    fileprivate func appending(_ suffix: String, after separator: String) -> URL {
        deletingLastPathComponent().appending(component: lastPathComponent + separator + suffix)
    }
}

import FeedFeature
public import Foundation

/// An open store, and the unusable one that it replaced, if any.
public struct OpenedStore<Store: Sendable>: Sendable {
    /// The store, ready for use.
    public let store: Store

    /// The previous store, which could not be opened; nil when there was no such problem.
    public let setAside: SetAsideStore?

    /// Opens a store; if the existing one cannot be used, moves it out of the way and creates a new one.
    ///
    /// - Parameters:
    ///   - make: Opens the store, or creates one if there is none.
    ///   - locations: Every file of the store.
    /// - Throws: The error of `make` when a new file would not help, or the error of the move.
    package init(opening locations: StoreLocations, _ make: () throws -> Store) throws {
        do {
            store = try make()
            setAside = nil
        } catch let error as FeedStoreError where error.concernsContent {
            setAside = SetAsideStore(location: try locations.moveAside(), reason: error)
            store = try make()
        }
    }
}

/// A store that could not be opened, kept with its bytes under another name.
public struct SetAsideStore: Sendable {
    /// The current location of its bytes.
    public let location: URL

    /// The reason why it could not be opened.
    public let reason: FeedStoreError

    /// Creates a description of a store that was set aside.
    public init(location: URL, reason: FeedStoreError) {
        self.location = location
        self.reason = reason
    }
}

extension SetAsideStore: CustomStringConvertible {
    /// The replacement and its reason.
    public var description: String {
        "A new cache was created, because the existing one could not be used. It is kept as \(location.path). \(reason)"
    }
}

/// The files of a store: a main file, and others named after it with a suffix.
package struct StoreLocations: Sendable {
    private let main: URL
    private let suffixes: [String]

    package init(_ main: URL, suffixes: [String] = []) {
        self.main = main
        self.suffixes = suffixes
    }

    /// The lock that excludes other processes.
    ///
    /// Its file is beside the store, because the store itself may be moved.
    package func lock(timeout: Duration) -> FileLock {
        FileLock(main.appending("lock", after: "."), protecting: main, timeout: timeout)
    }

    /// Creates the store's folder.
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

    /// Renames the files to the first free name such as `name.unreadable-1`, and returns it.
    ///
    /// - Throws: ``FeedStoreError/failed(path:underlying:)``.
    package func moveAside() throws -> URL {
        // A device is never an old cache, and other programs need it.
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

/// An error for a device or a pipe in place of a file or a folder.
private struct SpecialFile: Error, CustomStringConvertible {
    let description = "it is neither a file nor a folder"
}

extension URL {
    fileprivate func appending(_ suffix: String, after separator: String) -> URL {
        deletingLastPathComponent().appending(component: lastPathComponent + separator + suffix)
    }
}

import Duet
import FeedFeature
import Foundation

/// Loads the bytes of many images, a few at a time, which also caches them.
struct ImageBatchLoader {
    /// The bytes that were kept, and the number of images without bytes.
    struct Result {
        var data: [UUID: Data] = [:]
        var missing = 0
    }

    /// The number of images that are loaded at the same time; as many as a browser requests from one server.
    private static let concurrency = 6

    let dispatcher: any QueryDispatcher

    /// Whether to keep the bytes, in order to show them.
    let keepsData: Bool

    /// Whether to load originals in place of their smallest versions.
    let loadsOriginals: Bool

    /// Loads the images, and shows the progress.
    ///
    /// A failed image does not end the others.
    func load(_ images: [FeedImage]) async -> Result {
        let progress = ProgressBar("Loading images")
        defer { progress.clear() }
        return await withTaskGroup(of: (UUID, Data?).self) { [dispatcher, loadsOriginals] group in
            var result = Result()
            var waiting = images.makeIterator()
            var done = 0
            func startNext() {
                guard let image = waiting.next() else { return }
                let url = loadsOriginals ? image.url : image.versions.first?.url ?? image.url
                group.addTask { (image.id, try? await dispatcher.dispatch(LoadImageData(url: url))) }
            }
            for _ in 0..<Self.concurrency { startNext() }
            while let (id, data) = await group.next() {
                startNext()
                done += 1
                if data == nil { result.missing += 1 }
                if keepsData { result.data[id] = data }
                progress.update(done: done, total: images.count)
            }
            return result
        }
    }
}

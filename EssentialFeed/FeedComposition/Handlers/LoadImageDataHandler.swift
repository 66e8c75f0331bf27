import DuetMacros
import FeedFeature
import Foundation

/// Hands the query on to a loader.
@Resolvable
struct LoadImageDataHandler: QueryHandler {
    let loader: any FeedImageDataLoader

    func handle(_ query: LoadImageData) async throws -> Data {
        try await loader.loadImageData(from: query.url)
    }
}

import FeedFeature
import Foundation
import Testing

/// A file without metadata, and the metadata that it lacks.
struct Cleaned: Equatable {
    let data: Data
    let metadata: Set<ImageMetadata>

    init(_ data: Data, _ metadata: Set<ImageMetadata>) {
        self.data = data
        self.metadata = metadata
    }
}

/// Checks a file and leaves its metadata out, twice, because the second time must change nothing.
func clean(_ data: Data, at location: SourceLocation = #_sourceLocation) throws -> Cleaned {
    let file = try ImageFile(data)
    let cleaned = file.withoutMetadata
    let again = try ImageFile(cleaned)
    #expect(again.withoutMetadata == cleaned, sourceLocation: location)
    #expect(again.metadata.isEmpty, sourceLocation: location)
    #expect(again.format == file.format, sourceLocation: location)
    #expect(again.width == file.width, sourceLocation: location)
    #expect(again.height == file.height, sourceLocation: location)
    return Cleaned(cleaned, file.metadata)
}

/// Returns the reason why bytes are refused, or nil if they are an image.
func refusal(of data: Data) -> InvalidImage? {
    do {
        _ = try ImageFile(data)
        return nil
    } catch {
        return error
    }
}

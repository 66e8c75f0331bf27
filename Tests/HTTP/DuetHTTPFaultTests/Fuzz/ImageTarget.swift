import FeedFeature
import Foundation
import FuzzTesting

/// The checks of an image: what is left of one without metadata is an image of the same size that has none.
enum ImageTarget {
    static func read(_ input: [UInt8]) -> FuzzVerdict {
        let file: ImageFile
        do throws(InvalidImage) {
            file = try ImageFile(Data(input))
        } catch {
            return ImageFormat(data: Data(input)) == nil ? .elsewhere : .fine
        }
        guard file.width * file.height <= ImageFile.pixelLimit else { return .fault("It has too many pixels") }
        let clean = file.withoutMetadata
        do throws(InvalidImage) {
            let again = try ImageFile(clean)
            guard again.metadata.isEmpty, again.withoutMetadata == clean else {
                return .fault("\(again.metadata) is left")
            }
            guard (again.width, again.height) == (file.width, file.height) else { return .fault("It has another size") }
            return .fine
        } catch {
            return .fault("Without metadata it is invalid: \(error)")
        }
    }
}
